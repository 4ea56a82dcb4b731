/** Kinds of code, in the order of the tab. */
export const SNIPPET_KINDS = ['core', 'curl', 'express', 'nestjs', 'langchain', 'n8n', 'vite'] as const

/** One of {@link SNIPPET_KINDS}. */
export type SnippetKind = (typeof SNIPPET_KINDS)[number]

/** Code that runs as it stands, after the installation of its packages, with the service's address and key in the environment. */
export interface Snippet {
  readonly kind: SnippetKind
  /** Name of the tab. */
  readonly title: string
  /** Suggested name of the file. Its ending selects the colours. */
  readonly file: string
  readonly code: string
  /** Command that installs what the code imports. */
  readonly install?: string
  /** Command that runs the file, or what to do with it. */
  readonly run: string
}
