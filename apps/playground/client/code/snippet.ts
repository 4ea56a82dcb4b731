/** Kinds of code, in the order of the tab. */
export const SNIPPET_KINDS = ['core', 'curl', 'express', 'nestjs', 'langchain', 'n8n', 'vite'] as const

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
  /** Command that runs the file, or what to do with it. */
  readonly run: string
  /** Command that uses the running program. */
  readonly call?: string
}

/** Compiles and runs a file with decorators, which Node does not run. */
export function runNest(file: string): string {
  const flags =
    '--module nodenext --target es2024 --types node --skipLibCheck --experimentalDecorators --emitDecoratorMetadata'
  return `npx tsc ${flags} ${file} && node ${file.replace(/\.ts$/, '.js')}`
}

/** Command that installs what a Nest app needs. */
export const INSTALL_NEST: string =
  'npm install @svc-audio/nestjs @svc-audio/core @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs typescript @types/node'
