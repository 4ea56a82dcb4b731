import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BLIND_SPOTS } from '../src/table.ts'
import { CHECKS, UNOBSERVABLE } from '../src/checks/index.ts'
import { type LocalService, startLocalService } from '../src/local-service.ts'
import { runChecks, serverRules } from '../src/check.ts'
import { Subject } from '../src/subject/subject.ts'
import { missedFaults } from './faults/missed.ts'
import { fileFaults, modelFaults, voiceFaults } from './faults/objects.ts'
import { speechFaults, streamFaults } from './faults/speech.ts'
import { taskFaults } from './faults/tasks.ts'
import { transcriptionFaults } from './faults/heard.ts'
import { wallFaults } from './faults/walls.ts'
import type { Fault } from './support/fault.ts'
import { startFaultProxy } from './support/fault-proxy.ts'
import { HonestServer } from './support/honest-server.ts'

const FAULTS = [
  ...modelFaults,
  ...voiceFaults,
  ...fileFaults,
  ...taskFaults,
  ...speechFaults,
  ...streamFaults,
  ...transcriptionFaults,
  ...wallFaults,
]
const RULES = [...new Set([...FAULTS, ...missedFaults].map(([, rule]) => rule))]

let service: LocalService
let honest: HonestServer
/** Rules that a proxy without a fault fails, and why. */
const broken = new Map<string, string | undefined>()

beforeAll(async () => {
  service = await startLocalService()
  honest = new HonestServer(service.options.baseUrl)
  for (const [rule, why] of await failedRules({}, RULES)) broken.set(rule, why)
})
afterAll(() => service.close())

/** Runs the checks of these rules through a proxy with a fault. They are a part of the suite, which finds it too. */
async function failedRules(fault: Fault, ids: readonly string[]): Promise<Map<string, string | undefined>> {
  const proxy = await startFaultProxy(honest, fault)
  try {
    const { timeout = 60_000 } = fault
    const options = { ...service.options, baseUrl: proxy.url, deletedKey: 'conformance-key-that-was-deleted', timeout }
    // Only the fault of this rule knows an upload that is too large.
    const subject = new Subject({ ...options, largeUploads: fault.early !== undefined })
    const rules = serverRules().filter(({ id }) => ids.includes(id))
    expect(rules).toHaveLength(ids.length)
    const results = await runChecks(subject, { rules, checks: CHECKS, unobservable: UNOBSERVABLE })
    await subject.cleanUp()
    return new Map(results.filter(({ outcome }) => outcome === 'fail').map(({ rule, why }) => [rule, why]))
  } finally {
    proxy.close()
  }
}

test('the service follows every rule through a proxy without a fault', () => {
  expect(Object.fromEntries(broken)).toEqual({})
})

test('at least 100 faults are planted, each once', () => {
  const facts = [...FAULTS, ...missedFaults].map(([fact]) => fact)
  expect(facts.length).toBeGreaterThanOrEqual(100)
  expect(new Set(facts).size).toBe(facts.length)
})

// Five at the same time. Most of them wait for a task.
describe('the suite finds that', () => {
  test.concurrent.each(FAULTS)('%s: %s fails', async (_, rule, fault) => {
    expect([...(await failedRules(fault, [rule])).keys()]).toEqual([rule])
  })
})

describe('the suite does not find that', () => {
  test('every miss is explained', () => {
    expect(missedFaults.map(([fact]) => fact)).toEqual(BLIND_SPOTS.map(({ fault }) => fault))
  })

  test.each(missedFaults)('%s', async (_, rule, fault) => {
    expect([...(await failedRules(fault, [rule])).keys()]).toEqual([])
  })
})
