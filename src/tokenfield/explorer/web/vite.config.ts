// Two builds into ../static: the explorer (index.html and assets/), and with --mode scene the template of exported
// scenes, one html file that needs nothing else. File names carry no hash, so a build changes only what it must.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vitest/config";

const POLICY = "default-src 'none'; img-src data: blob:; media-src blob:; style-src 'unsafe-inline'; script-src ";

/** Puts the script and the style of an html entry into it, and allows only this script to run. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const take = (ending: string): string => {
        const parts: string[] = [];
        for (const [name, item] of Object.entries(bundle)) {
          if (!name.endsWith(ending)) continue;
          parts.push(item.type === "chunk" ? item.code : String(item.source));
          delete bundle[name];
        }
        return parts.join("\n");
      };
      const script = take(".js").replaceAll("</script", "<\\/script");
      const style = take(".css");
      const hash = createHash("sha256").update(`\n${script}\n`).digest("base64");
      for (const item of Object.values(bundle)) {
        if (item.type !== "asset" || !item.fileName.endsWith(".html")) continue;
        item.source = String(item.source)
          .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
          .replace(/\s*<script type="module"[^>]*><\/script>/g, "")
          .replace("<!--policy-->", `<meta http-equiv="Content-Security-Policy" content="${POLICY}'sha256-${hash}'">`)
          .replace("<!--style-->", () => `<style>\n${style}\n</style>`)
          .replace("<!--script-->", () => `<script type="module">\n${script}\n</script>`);
      }
    },
  };
}

export default defineConfig(({ mode }) => {
  const isScene = mode === "scene";
  return {
    base: "./",
    publicDir: false,
    plugins: isScene ? [inlined()] : [],
    build: {
      outDir: process.env.EXPLORER_OUT ?? "../static",
      emptyOutDir: !isScene,
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1500,
      rollupOptions: {
        input: isScene ? "scene.html" : "index.html",
        output: {
          entryFileNames: "assets/explorer.js",
          chunkFileNames: "assets/[name].js",
          assetFileNames: ({ names: [name] }) => (name?.endsWith(".css") ? "assets/explorer.css" : "assets/[name][extname]"),
        },
      },
    },
    test: { include: ["test/**/*.test.ts"] },
  };
});
