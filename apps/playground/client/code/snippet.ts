/** Kinds of code, in the order of the tab. */
export const SNIPPET_KINDS = [
  'core',
  'curl',
  'openai',
  'ai-sdk',
  'express',
  'nestjs',
  'langchain',
  'n8n',
  'vite',
] as const

/** One of {@link SNIPPET_KINDS}. */
export type SnippetKind = (typeof SNIPPET_KINDS)[number]

/**
 * Code that runs as it stands: after the installation of its packages, with the service's address and key in the
 * environment.
 */
export interface Snippet {
  readonly kind: SnippetKind
  /** Name of the tab. */
  readonly title: string
  /** Suggested name of the file. */
  readonly file: string
  readonly code: string
  /** Command that installs what the code imports. */
  readonly install?: string
  /** More lines of the environment than the service's address and key. */
  readonly environment?: readonly string[]
  /** Command that runs the file. */
  readonly run?: string
  /** Command that uses the running program. */
  readonly call?: string
  /** Steps in words, for code that no command runs. They replace all others. */
  readonly steps?: readonly string[]
}
