import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { wordErrorRate } from '@svc-audio/testing'
import { importTransformed } from '../support/import-transformed.ts'
import type { Integration, IntegrationContext, IntegrationOutcome } from './integration.ts'

/** Every integration, in the order of the page. To add one, add a file to this folder and list it here. */
export const integrations: readonly Integration[] = [
  {
    id: 'express',
    title: 'Express',
    package: '@svc-audio/express-middleware',
    about:
      'An Express 5 app speaks the text, transcribes its own audio as an upload, and receives the webhook of a task.',
    load: () => import('./express.ts'),
  },
  {
    id: 'nestjs',
    title: 'NestJS',
    package: '@svc-audio/nestjs',
    about: 'A Nest app speaks the text, transcribes its own audio, and receives the webhook of a task.',
    // Node does not run decorators.
    load: () => importTransformed(new URL('nestjs.ts', import.meta.url)),
  },
  {
    id: 'langchain',
    title: 'LangChain',
    package: '@svc-audio/langchain-tools',
    about: 'An agent calls speak, reads the returned reference, and calls transcribe with it.',
    load: () => import('./langchain.ts'),
  },
  {
    id: 'n8n',
    title: 'n8n',
    package: 'n8n-nodes-svc-audio',
    about: 'n8n’s engine runs a workflow of two nodes. One speaks into a file. The other transcribes the file.',
    load: () => import('./n8n.ts'),
  },
  {
    id: 'vite',
    title: 'Vite',
    package: '@svc-audio/vite-plugin',
    about: 'Vite builds a page with one narration import. The audio below is an asset of that build.',
    load: () => import('./vite.ts'),
  },
]

const BEGIN = '// #region shown'
const END = '// #endregion'

/** Reads the shown regions from an integration's file. The page shows the code that runs. */
export async function readExcerpt(id: string): Promise<string> {
  return excerptOf(await readFile(new URL(`${id}.ts`, import.meta.url), 'utf8'))
}

/**
 * Returns the lines between `// #region shown` and `// #endregion`. Each region loses its indentation, and an empty line
 * separates two regions.
 * @throws Error without a region, or with an unclosed region
 */
export function excerptOf(source: string): string {
  const regions: string[][] = []
  let region: string[] | undefined
  for (const line of source.split('\n')) {
    if (line.trim() === BEGIN) region = []
    else if (line.trim() === END && region !== undefined) {
      regions.push(region)
      region = undefined
    } else region?.push(line)
  }
  if (region !== undefined || regions.length === 0) throw new Error(`The file needs regions from ${BEGIN} to ${END}`)
  return regions.map(dedent).join('\n\n')
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const least = Math.min(...indents)
  return lines.map((line) => line.slice(least)).join('\n')
}

/** Outcome of a run. */
export interface IntegrationRun extends IntegrationOutcome {
  /** Milliseconds of the run, without loading the framework. */
  readonly ms: number
  /** Word error rate of the transcript. 0 is perfect. */
  readonly wordErrorRate: number
}

/**
 * Runs an integration in a temporary folder.
 * @param scratch Parent of the temporary folder.
 * @throws errors of the integration and of loading its framework
 */
export async function runIntegration(
  integration: Integration,
  context: Omit<IntegrationContext, 'folder'>,
  scratch: string,
): Promise<IntegrationRun> {
  const module = await integration.load()
  context.signal.throwIfAborted()
  const folder = await mkdtemp(join(scratch, `${integration.id}-`))
  try {
    const began = performance.now()
    const outcome = await module.run({ ...context, folder })
    const ms = Math.round(performance.now() - began)
    return { ...outcome, ms, wordErrorRate: wordErrorRate(context.text, outcome.transcript) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
