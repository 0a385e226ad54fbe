/** Parts of the page that are kept as text, as the browser gets them. */
declare module '*.css' {
  const text: string
  export = text
}
declare module '*.client.js' {
  const text: string
  export = text
}
