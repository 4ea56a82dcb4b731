/** Kind of a block in its source. */
export type SpeakableBlockKind =
  | 'heading'
  | 'paragraph'
  | 'list-item'
  | 'quote'
  | 'table-row'
  | 'code'
  | 'caption'
  | 'term'
  | 'definition'
  | 'footnote'

/** A part of a block's text. */
export interface SpeakableSpan {
  /** The text. */
  readonly text: string
  /** The `lang` attribute of its element; absent for text in the language of the document. */
  readonly language?: string
}

/** A part of a document, spoken as a unit. */
export interface SpeakableBlock {
  /** Kind of the block. A second paragraph of a list item or of a footnote is a `paragraph`. */
  readonly kind: SpeakableBlockKind
  /** Level of a heading, 1 to 6. */
  readonly level?: number
  /** Text to speak, never empty. A hard line break is `\n`; all other white space is one space. */
  readonly text: string
  /** Heading: its `id` attribute, its `{#id}`, or its slug as GitHub makes it. Other blocks: the `id` attribute of their HTML element. */
  readonly id?: string
  /** Line of the source where the block begins, from 1. */
  readonly line?: number
  /** The text by language, for a block with text in another language. Together the spans are `text`. */
  readonly spans?: readonly SpeakableSpan[]
}

/** A part of the source that could not be read. The rest of the document was read. */
export interface SourceProblem {
  /** What is wrong, in one sentence. */
  readonly message: string
  /** Line of the source, from 1. */
  readonly line: number
}

/** A document as it is read aloud. */
export interface SpeakableDocument {
  /** Parsed YAML front matter; `{}` if there is none. */
  readonly frontMatter: Readonly<Record<string, unknown>>
  /** `title` of the front matter, else the first heading of level 1, else the `<title>` of an HTML page. */
  readonly title: string | undefined
  /** `lang` or `language` of the front matter, else the `lang` attribute of `<html>`. */
  readonly language: string | undefined
  /** Blocks in reading order. */
  readonly blocks: readonly SpeakableBlock[]
  /** The texts of the blocks, with an empty line between two. */
  readonly text: string
  /** Parts of the source that could not be read, e.g. invalid front matter. */
  readonly problems: readonly SourceProblem[]
}
