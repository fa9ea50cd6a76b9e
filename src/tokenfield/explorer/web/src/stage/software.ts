/** Whether WebGL is drawn by the processor because there is no graphics card: pictures are then made simpler. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let known: boolean | null = null;

export function isDrawnBySoftware(): boolean {
  if (known !== null) return known;
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER) as string | undefined;
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  known = SOFTWARE.test(name ?? "");
  return known;
}
