// Compares docs/errors.md with the codes of the service, of uploads and of agent tools. `--write` writes the page.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCodeEntry } from '../../apps/service/src/domain/request-error-codes.ts'
import { ERROR_CODES } from '../../apps/service/src/domain/error-codes.ts'
import { SPEECH_TOOL_ERRORS } from '../../packages/agent-tools/src/errors/speech-tool-error-codes.ts'
import { UPLOAD_ERRORS } from '../../packages/upload/src/errors.ts'

const GROUPS: readonly (readonly [title: string, has: (status: number | 'task') => boolean])[] = [
  ['The request is wrong', (status) => status === 400],
  ['The key', (status) => status === 401 || status === 403],
  ['Something does not exist', (status) => status === 404 || status === 405],
  [
    'Conflicts and headers',
    (status) => status === 408 || status === 409 || status === 416 || status === 417 || status === 431,
  ],
  ['Size and format', (status) => status === 413 || status === 415],
  ['Too much at once', (status) => status === 429],
  ['The service failed', (status) => status === 500],
  ['The service is busy or not ready', (status) => status === 503],
  ['A task failed', (status) => status === 'task'],
]

const HEAD = `# Errors and what to do

Every error of the self-hosted service has a \`code\`. It is stable: programs read it, people read \`message\`. \`param\` names the field. \`x-request-id\` finds the line in the log of the service.

- A refused request costs nothing and stores nothing.
- The \`error\` event of a stream and the \`error\` of a task have the same codes.
- In TypeScript, [\`ApiError\`](../packages/core/docs/errors.md) has \`status\`, \`code\`, \`param\`, \`retryAfter\` and \`retryable\`.
- Other services that implement the interface may have other codes.
- Adapters pass these codes on. Codes of their own are in the last two parts: [uploads to your server](#uploads-to-your-server) and [tools of agents](#tools-of-agents). [n8n](../packages/n8n-nodes/docs/errors.md) shows a title and a remedy.
`

/** The page of every error code: a section for each, so that a link can lead to it. */
export function renderErrors(): string {
  const entries = Object.entries<ErrorCodeEntry>(ERROR_CODES)
  const groups = GROUPS.map(([title, has]) => {
    const own = entries.filter(([, { status }]) => has(status))
    return `## ${title}\n\n${own.map(([code, entry]) => renderCode(code, entry)).join('\n')}`
  })
  const left = entries.filter(([, { status }]) => !GROUPS.some(([, has]) => has(status)))
  if (left.length > 0) throw new Error(`no section for ${left.map(([code]) => code).join(', ')}`)
  return `${HEAD}\n${[...groups, renderUploads(), renderTools()].join('\n')}`
}

function renderUploads(): string {
  const codes = Object.entries<AdapterErrorEntry>(UPLOAD_ERRORS)
  const about =
    'The adapters for Express, NestJS, Fastify, Hono and Web requests refuse an upload with an `UploadError`, before anything is spent.'
  return `## Uploads to your server\n\n${about}\n\n${codes.map(([code, entry]) => renderAdapter(`\`${code}\` of an upload`, entry)).join('\n')}`
}

function renderTools(): string {
  const codes = Object.entries<AdapterErrorEntry>(SPEECH_TOOL_ERRORS)
  const about =
    'The tools for LangChain, the AI SDK and MCP answer a model with a `SpeechToolError`. Its message tells the model what to do.'
  return `## Tools of agents\n\n${about}\n\n${codes.map(([code, entry]) => renderAdapter(`\`${code}\` of a tool`, entry)).join('\n')}`
}

/** A code of an adapter. */
interface AdapterErrorEntry extends Pick<ErrorCodeEntry, 'cause' | 'remedy'> {
  readonly status?: number
}

function renderAdapter(title: string, { status, cause, remedy }: AdapterErrorEntry): string {
  const where = status === undefined ? '' : `Status ${status}. `
  return `### ${title}\n\n${where}${cause.charAt(0).toUpperCase()}${cause.slice(1)}.\n\n**Do:** ${remedy}\n`
}

function renderCode(code: string, { status, param, cause, remedy }: ErrorCodeEntry): string {
  const where = status === 'task' ? 'Task' : `Status ${status}`
  const field = param === undefined ? '' : ` \`param\` is ${param.replaceAll(', ', ' or ')}.`
  // A cause of a field has no subject: "is absent or empty".
  const subject = param === undefined || /^(?:the|a|an|two|streams|neither|this|all) /.test(cause) ? '' : 'The value '
  const sentence = `${subject}${cause}`
  return `### \`${code}\`\n\n${where}.${field} ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.\n\n**Do:** ${remedy}\n`
}

if (import.meta.main) {
  const PAGE = join(import.meta.dirname, '../../docs/errors.md')

  const page = renderErrors()
  if (process.argv.includes('--write')) writeFileSync(PAGE, page)
  else if (readFileSync(PAGE, 'utf8') !== page) {
    console.error('docs/errors.md is out of date: run node scripts/checks/errors.ts --write')
    process.exitCode = 1
  }
}
