/** What the bundler understands beside TypeScript. */
declare module "*.css";
