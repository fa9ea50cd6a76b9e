"use strict";
(() => {
  document.documentElement.classList.add("js");

  // --- copying and enlarging ---------------------------------------------------------------------------------------

  async function copy(source) {
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch { // not every browser allows it for files
      getSelection().selectAllChildren(source);
      if (!document.execCommand("copy")) return "Select and copy";
      getSelection().removeAllRanges();
    }
    return "Copied";
  }

  const enlarged = document.getElementById("enlarged");
  for (const image of document.querySelectorAll("figure img")) image.tabIndex = 0;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("figure img")) event.target.click();
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (button) {
      const before = button.textContent;
      button.textContent = await copy(document.getElementById(button.dataset.copy));
      setTimeout(() => { button.textContent = before; }, 1500);
    } else if (event.target.matches("figure img")) {
      const image = event.target.cloneNode();
      image.removeAttribute("width");
      image.removeAttribute("height");
      enlarged.querySelector("div").replaceChildren(image);
      enlarged.showModal();
    } else if (event.target === enlarged) { // the backdrop
      enlarged.close();
    }
  });
})();
