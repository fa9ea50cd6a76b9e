"use strict";
(() => {
  const form = document.getElementById("filters");
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const claims = new Map([...document.querySelectorAll(".claim")].map((claim) => [claim.id, claim]));
  const texts = new Map([...claims].map(([id, claim]) => [id, `${id} ${claim.textContent}`.toLowerCase()]));
  const names = ["q", "paper", "status", "verdict"];
  form.hidden = false;

  // --- filters, kept in the address as #verdict=fails&q=hull -------------------------------------------------------

  function apply() {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = texts.get(row.dataset.id);
      const fits = names.slice(1).every((name) => !form.elements[name].value || form.elements[name].value === row.dataset[name]);
      const visible = fits && words.every((word) => text.includes(word));
      row.hidden = claims.get(row.dataset.id).hidden = !visible;
      shown += visible;
    }
    for (const paper of document.querySelectorAll(".paper")) paper.hidden = !paper.querySelector(".claim:not([hidden])");
    document.getElementById("shown").textContent = `${shown} of ${rows.length} claims shown`;
  }

  function remember() {
    const chosen = names.filter((name) => form.elements[name].value).map((name) => [name, form.elements[name].value]);
    try {
      history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
    } catch { /* a page in a mail program may not change its address */ }
  }

  function followAddress() {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      const chosen = new URLSearchParams(hash);
      for (const name of names) form.elements[name].value = chosen.get(name) ?? "";
      apply();
      if (body.getBoundingClientRect().top > innerHeight) form.scrollIntoView();
    } else if (claims.get(hash)?.hidden) { // a link to a claim wins over filters that hide it
      form.reset();
      claims.get(hash).scrollIntoView();
    }
  }

  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", followAddress);
  apply();
  followAddress();

  // --- sorting -----------------------------------------------------------------------------------------------------

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if ("unsorted" in head.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const value = (row) => row.cells[column].dataset.key;
      const text = (row) => row.cells[column].textContent;
      const compare = (a, b) => value(a) ? value(a) - value(b) : text(a).localeCompare(text(b), "en", { numeric: true });
      body.append(...[...rows].sort((a, b) => sign * compare(a, b)));
    });
  });
})();
