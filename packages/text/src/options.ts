import { callback, findOptionFault, flag, oneOf, optional, type OptionRules } from '#options'
import { SKIP_SELECTOR } from './blocks/skip.ts'
import type { Lexicon } from './sentences/lexicon.ts'
import { TextOptionError } from './sentences/split-options.ts'

/** Options of every reader. */
export interface ReadOptions {
  /** Web addresses: `host` speaks `example.com` only, `read` the whole address, `skip` nothing. @default 'host' */
  readonly urls?: 'host' | 'read' | 'skip' | undefined
  /** Emoji and emoji codes such as `:tada:`. @default 'skip' */
  readonly emoji?: 'skip' | 'keep' | undefined
  /** Respells terms in the blocks. `title` and front matter are not respelled. */
  readonly lexicon?: Lexicon | undefined
  /** Language of the text, e.g. `en-US`, for the lexicon. @default the document's language */
  readonly language?: string | undefined
}

/** Options of the HTML and Markdown readers. */
export interface ReadHtmlOptions extends ReadOptions {
  /** Code blocks: fenced code, indented code and `<pre>`. @default 'skip' */
  readonly codeBlocks?: 'skip' | 'read' | undefined
  /** Code within a sentence. @default 'read' */
  readonly inlineCode?: 'skip' | 'read' | undefined
  /** Alternative texts of images. @default 'alt' */
  readonly images?: 'alt' | 'skip' | undefined
  /** Alternative texts of badge images, e.g. of shields.io. @default 'skip' */
  readonly badges?: 'skip' | 'read' | undefined
  /** Tables: `rows` speaks the cells of a row, `labelled` puts each column's heading before its cell. @default 'rows' */
  readonly tables?: 'rows' | 'labelled' | 'skip' | undefined
  /** TeX formulas. Short ones such as `$x^2 + 1$` are always spoken, in plain signs. @default 'skip' */
  readonly math?: 'skip' | 'read' | undefined
  /** Abbreviations with a definition: `expand` speaks the definition. @default 'keep' */
  readonly abbreviations?: 'keep' | 'expand' | undefined
  /** Texts of footnotes. Footnote marks are never spoken. @default 'skip' */
  readonly footnotes?: 'skip' | 'read' | undefined
  /** Numbers of ordered lists. @default 'read' */
  readonly listNumbers?: 'read' | 'skip' | undefined
  /**
   * Table cells that begin with a mark such as ✅ or ❌: the words for yes and no, or `skip`.
   * @default the words of the language, 'yes' and 'no' for one without an entry
   */
  readonly yesNo?: readonly [yes: string, no: string] | 'skip' | undefined
  /**
   * Elements and components that are not spoken: a name, `.class`, `#id` or `[attribute]` each. They add to the class
   * `skip-speech`, the attribute `data-skip-speech` and what stands between the comments `<!-- skip-speech -->` and
   * `<!-- /skip-speech -->`.
   * @example ['Advert', '.sponsors', '[data-ad]']
   */
  readonly skip?: readonly string[] | undefined
  /**
   * `add` adds a full stop to a heading, list item, table row or caption without final punctuation, so it does not run
   * into the next block.
   * @default 'add'
   */
  readonly endMarks?: 'add' | 'keep' | undefined
  /** Reads only the elements that this function accepts, e.g. `(name) => name === 'article'`. @default all of the page */
  readonly select?: ((name: string, attributes: Readonly<Record<string, string>>) => boolean) | undefined
}

/** Options of {@link readMarkdown} and {@link speakable}. */
export interface ReadMarkdownOptions extends Omit<ReadHtmlOptions, 'select'> {
  /** The source is MDX: leaves out `import`, `export`, JSX tags and `{expressions}`. @default false */
  readonly mdx?: boolean | undefined
  /**
   * Attributes of components that readers see, by the component's name. They add to the defaults, and an empty list
   * silences a component.
   * @default { Aside: ['title'], Card: ['title'], LinkCard: ['title', 'description'], TabItem: ['label'] }
   */
  readonly props?: Readonly<Record<string, readonly string[]>> | undefined
  /** Line ends inside a paragraph: `join` makes spaces of them, `keep` line breaks. @default 'join' */
  readonly lineBreaks?: 'join' | 'keep' | undefined
}

/** How text is spoken: the options of {@link ReadMarkdownOptions} that suit every page of a site. */
export type SpokenTextOptions = Omit<ReadMarkdownOptions, 'language' | 'lexicon' | 'mdx'>

const PLAIN: OptionRules = {
  urls: optional(oneOf(['host', 'read', 'skip'])),
  emoji: optional(oneOf(['skip', 'keep'])),
}

const PAGE: OptionRules = {
  lexicon: optional((value) =>
    typeof value === 'object' && value !== null && 'respell' in value ? undefined : 'must be made by createLexicon()',
  ),
  language: optional((value) => (typeof value === 'string' ? undefined : "must be a language tag such as 'en-US'")),
}

const HTML: OptionRules = {
  ...PLAIN,
  codeBlocks: optional(oneOf(['skip', 'read'])),
  inlineCode: optional(oneOf(['skip', 'read'])),
  images: optional(oneOf(['alt', 'skip'])),
  badges: optional(oneOf(['skip', 'read'])),
  tables: optional(oneOf(['rows', 'labelled', 'skip'])),
  math: optional(oneOf(['skip', 'read'])),
  abbreviations: optional(oneOf(['keep', 'expand'])),
  footnotes: optional(oneOf(['skip', 'read'])),
  listNumbers: optional(oneOf(['read', 'skip'])),
  endMarks: optional(oneOf(['add', 'keep'])),
  yesNo: optional((value) =>
    value === 'skip' || (isListOfNames(value) && value.length === 2)
      ? undefined
      : "must be 'skip' or the two words, such as ['yes', 'no']",
  ),
  skip: optional((value) =>
    isListOfNames(value) && value.every((one) => SKIP_SELECTOR.test(one))
      ? undefined
      : "must be a list of names, '.class', '#id' or '[attribute]', such as ['Advert', '.sponsors']",
  ),
}

function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function listsByName(value: unknown): string | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord && Object.values(value).every(isListOfNames)
    ? undefined
    : "must be lists of attributes by component, such as { Card: ['title'] }"
}

const SPOKEN: OptionRules = {
  ...HTML,
  props: optional(listsByName),
  lineBreaks: optional(oneOf(['join', 'keep'])),
}

type Reader = 'plain' | 'html' | 'markdown' | 'spoken'

const CHECKS: Readonly<Record<Reader, OptionRules>> = {
  plain: { ...PLAIN, ...PAGE },
  html: { ...HTML, ...PAGE, select: optional(callback) },
  markdown: { ...SPOKEN, ...PAGE, mdx: optional(flag) },
  spoken: SPOKEN,
}

/**
 * Checks the options of a reader.
 * @throws TextOptionError naming the option
 */
export function checkOptions(reader: Reader, options: object): void {
  const found = findOptionFault(options, CHECKS[reader])
  if (found !== undefined) throw new TextOptionError(found.option ?? 'options', found.message)
}

/**
 * Checks {@link SpokenTextOptions}. It loads no parser.
 * @throws TextOptionError naming the option
 */
export function checkSpokenText(options: object): void {
  checkOptions('spoken', options)
}
