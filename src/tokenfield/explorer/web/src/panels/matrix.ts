/** The editor of the matrices Q, K, V, O of each head. */
import type { Tables } from "../protocol/messages";
import { dimensionOf, identity, randomMatrix, type Matrix } from "../state/config";
import { headsIn, MATRICES, withMatrix } from "./choices";
import { element, openDialog } from "./element";

const LARGEST = 12;

/** Opens a dialog in which the matrices of a config can be changed; `done` is called with the new tables. */
export function editMatrices(config: Tables, done: (config: Tables) => void): void {
  const d = dimensionOf(config);
  const heads = headsIn(config);
  const head = element("select", { "aria-label": "Head" }, ...heads.map((_, k) => element("option", { value: k }, heads.length > 1 ? `head ${k + 1}` : "the head")));
  const name = element("select", { "aria-label": "Matrix" }, ...MATRICES.map((one) => element("option", { value: one }, one)));
  const table = element("div", { class: "matrix" });
  table.style.setProperty("--columns", String(d));
  let matrix: Matrix = identity(d);

  const show = (next: Matrix): void => {
    matrix = next.map((row) => [...row]);
    table.replaceChildren(
      ...matrix.flatMap((row, i) =>
        row.map((value, j) => {
          const cell = element("input", { type: "number", step: "any", value, "aria-label": `row ${i + 1}, column ${j + 1}` });
          cell.addEventListener("input", () => (matrix[i][j] = Number(cell.value)));
          return cell;
        }),
      ),
    );
  };
  const load = (): void => show((heads[Number(head.value)][name.value] as Matrix | undefined) ?? identity(d));
  const apply = (): void => {
    done(withMatrix(config, name.value, matrix, Number(head.value)));
    dialog.close();
  };
  head.addEventListener("change", load);
  name.addEventListener("change", load);
  const preset = (label: string, make: () => Matrix): HTMLElement => element("button", { type: "button", class: "plain", onclick: () => show(make()) }, label);
  const seed = (): number => Math.floor(Math.random() * 1e6);
  const dialog = openDialog(
    "Matrices",
    "matrices",
    element("p", { class: "quiet" }, "A head gives weights by ⟨Qx, Ky⟩ and adds O V y. The identity is the default."),
    element("div", { class: "buttons" }, head, name),
    d <= LARGEST ? table : element("p", {}, `Matrices of ${d} rows are chosen, not typed: take one of these.`),
    element(
      "div",
      { class: "buttons" },
      preset("I", () => identity(d)),
      preset("−I", () => identity(d, -1)),
      preset("Random", () => randomMatrix(d, seed(), false)),
      preset("Random symmetric", () => randomMatrix(d, seed(), true)),
      element("button", { type: "button", class: "primary", onclick: apply }, "Apply"),
    ),
  );
  load();
}
