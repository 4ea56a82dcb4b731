// Checks a server against the rules of the interface (docs/rules.json): see --help.
import { CHECKS, UNOBSERVABLE } from './checks/index.ts'
import { HELP, readRequest, report, type Request, UsageError } from './cli.ts'
import { startLocalService } from './local-service.ts'
import { type CheckResult, chooseRules, type Rule, runChecks, serverRules } from './check.ts'
import { startHook, Subject, type SubjectOptions } from './subject/subject.ts'
import { renderTable } from './table.ts'

/** A server to check, and its cleanup. */
interface Target {
  readonly options: SubjectOptions
  close(): Promise<void> | void
}

async function openTarget(request: Request): Promise<Target> {
  const { baseUrl, key, secondKey, deletedKey, audioUrl, webhookUrl, webhookPort } = request
  if (baseUrl === undefined || key === undefined) return startLocalService()
  await assertReachable(baseUrl, request.timeout)
  const hook = webhookUrl === undefined ? undefined : await startHook({ port: webhookPort, url: webhookUrl })
  return {
    options: {
      baseUrl,
      key,
      largeUploads: request.largeUploads,
      ...(secondKey === undefined ? {} : { secondKey }),
      ...(deletedKey === undefined ? {} : { deletedKey }),
      ...(audioUrl === undefined ? {} : { audioUrl }),
      ...(hook === undefined ? {} : { hook }),
    },
    close: () => hook?.close(),
  }
}

/**
 * Probes the server once, to print one line instead of a failure per rule. Any HTTP response counts: the checks judge it.
 *
 * @throws UsageError when the server does not answer
 */
async function assertReachable(baseUrl: string, timeout: number): Promise<void> {
  try {
    const response = await fetch(`${baseUrl}/v1/models`, { signal: AbortSignal.timeout(timeout) })
    await response.body?.cancel()
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new UsageError(`--base-url ${baseUrl} does not answer: ${cause}. Start the server or correct the URL`, {
      cause: error,
    })
  }
}

function chosen(request: Request): readonly Rule[] {
  const all = serverRules()
  try {
    const ids = new Set(request.only.flatMap((word) => chooseRules(all, word)).map(({ id }) => id))
    return request.only.length === 0 ? all : all.filter(({ id }) => ids.has(id))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

async function ask(request: Request): Promise<number> {
  const rules = chosen(request)
  const { atOnce, json, quick, timeout, word } = request
  const target = await openTarget(request)
  try {
    const subject = new Subject({ ...target.options, quick, timeout, word })
    let done = 0
    const onCheck = (rule: string, { says, outcome }: CheckResult): void => {
      done += 1
      process.stderr.write(`${String(done).padStart(4)}  ${outcome.padEnd(13)}  ${rule}: ${says}\n`)
    }
    const results = await runChecks(subject, { rules, checks: CHECKS, unobservable: UNOBSERVABLE, atOnce, onCheck })
    for (const note of subject.api.notes) process.stderr.write(`${note}\n`)
    const left = await subject.cleanUp()
    if (left.length > 0) process.stderr.write(`Could not delete these files: ${left.join(', ')}\n`)
    process.stdout.write(`${json ? JSON.stringify(results, undefined, 2) : report(results)}\n`)
    return results.some(({ outcome }) => outcome === 'fail') ? 1 : 0
  } finally {
    await target.close()
  }
}

try {
  const request = readRequest(process.argv.slice(2))
  if (request.help) process.stdout.write(HELP)
  else if (request.table) process.stdout.write(renderTable(serverRules(), CHECKS, UNOBSERVABLE))
  else process.exitCode = await ask(request)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message} (see --help)\n`)
  process.exitCode = 2
}
