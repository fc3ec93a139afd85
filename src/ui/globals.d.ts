/** Imports that the bundler handles. */
declare module "*.css";
