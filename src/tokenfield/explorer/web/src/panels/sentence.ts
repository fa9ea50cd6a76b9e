/** A real sentence: the tokens of a text, with their words, layer by layer through a real model. */
import type { SentenceModel } from "../protocol/messages";
import { element, openDialog } from "./element";

export function openSentence(models: SentenceModel[]): void {
  openDialog("A real sentence", "sentence", element("p", {}, `${models.length} models`));
}
