import { sourceRegion } from '../snippets/source-region.ts'
import { CLIENTS, type Job, JOBS } from './jobs.ts'

/** Folder of the programs. */
const FOLDER = 'examples/ten-jobs'

const INTRO = `# Ten common jobs

The code of ten common jobs with this client and with five others. Each program compiles in [examples/ten-jobs](../${FOLDER}), and \`check\` counts its lines. Imports, the creation of the client and comments are not counted. A dash means that the client has no method for the job.`

/** The page, and what is wrong with it. */
export interface TenJobs {
  readonly page: string
  readonly faults: readonly string[]
}

/**
 * Makes the page of the ten jobs.
 * @param read Reads a file by its path from the root
 */
export function renderTenJobs(read: (path: string) => string): TenJobs {
  const ids = Object.keys(CLIENTS)
  const counted = JOBS.map((job) => ({ job, codes: ids.map((id) => regionOf(read(`${FOLDER}/${id}.ts`), job)) }))
  const rows = counted.map(({ job, codes }) => [
    `[${job.title}](#${job.title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-')})`,
    ...codes.map((code) => (code === undefined ? '–' : String(linesOf(code)))),
  ])
  const sections = counted.map(({ job, codes }) => [
    `## ${job.title}`,
    ...(job.reason === undefined ? [] : [job.reason]),
    ...codes.flatMap((code, index) => (code === undefined ? [] : [block(ids[index] ?? '', job, code)])),
  ])
  const page = [INTRO, table([['Lines', ...Object.values(CLIENTS)], ...rows]), ...sections.flat()].join('\n\n')
  return { page: `${page}\n`, faults: counted.flatMap(({ job, codes }) => faultsOf(job, codes)) }
}

function regionOf(text: string, { region }: Job): string | undefined {
  return text.includes(`// #region ${region}\n`) ? sourceRegion(text, region) : undefined
}

/** Lines of code, without blank lines and comments. */
function linesOf(code: string): number {
  return code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

function faultsOf({ title, reason }: Job, [ours, ...others]: readonly (string | undefined)[]): string[] {
  if (ours === undefined) return [`${title}: there is no program of ours`]
  const least = Math.min(...others.map((code) => (code === undefined ? Infinity : linesOf(code))))
  const isLonger = linesOf(ours) > least
  if (isLonger && reason === undefined)
    return [`${title}: ours has ${linesOf(ours)} lines, another ${least}: give a reason`]
  return !isLonger && reason !== undefined ? [`${title}: ours is not longer, so it needs no reason`] : []
}

function block(id: string, { region }: Job, code: string): string {
  return `${CLIENTS[id] ?? id}:\n\n<!-- snippet: ${FOLDER}/${id}.ts#${region} -->\n\n\`\`\`ts\n${code}\`\`\``
}

/** A table whose columns are padded, as the formatter does. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
}
