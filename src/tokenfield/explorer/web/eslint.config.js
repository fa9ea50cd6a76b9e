import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "dist"] },
  ...tseslint.configs.recommended,
  ...tseslint.configs.stylistic,
  {
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      eqeqeq: "error",
      // array-likes have no iterator
      "@typescript-eslint/prefer-for-of": "off",
      "max-lines": ["error", { max: 420, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 75, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ["test/**"], rules: { "max-lines-per-function": "off" } },
);
