/** The reference parser and renderer of CommonMark, as far as it is used here. */
declare module 'commonmark' {
  /** A parsed document. */
  export type Document = { readonly type: string }
  export class Parser {
    parse(source: string): Document
  }
  export class HtmlRenderer {
    render(document: Document): string
  }
}
