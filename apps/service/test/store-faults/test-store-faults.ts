import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedCluster, startScriptedCluster } from './cluster.ts'
import { POSTGRES_FAULTS } from './postgres-proxy.ts'
import { S3_FAULTS } from './s3-proxy.ts'
import { type Scenario, SCENARIOS } from './scenarios.ts'
import type { PlannedFault, StoreMessage } from './script.ts'

/** Tests that {@link testStoreFaults} makes. */
export interface StoreFaultTests {
  /** Faults that each message has, unless it commits: a commit has all. Those of neighbours differ. */
  readonly faultsPerMessage: number
  /** The faults of each store. @default all */
  readonly faults?: FaultLists
}

/** Faults by store. */
type FaultLists = Readonly<Record<StoreMessage['store'], readonly string[]>>

const ALL_FAULTS: FaultLists = { postgres: POSTGRES_FAULTS, s3: S3_FAULTS }

/** Tests each scenario with one fault of one message at a time. */
export function testStoreFaults({ faultsPerMessage, faults: lists = ALL_FAULTS }: StoreFaultTests): void {
  let cluster: ScriptedCluster
  let runs = 0
  beforeAll(async () => {
    cluster = await startScriptedCluster()
  }, 120_000)
  afterAll(() => cluster.stop())

  /** Runs a scenario with one fault. @returns The messages of its step, and what is broken. */
  async function run(scenario: Scenario, planned?: PlannedFault) {
    const { script, services } = cluster
    runs += 1
    const n = runs
    await scenario.prepare?.(cluster, n)
    script.begin(planned)
    let error: unknown
    try {
      await cluster.through(scenario.step(cluster, n))
    } catch (failure) {
      error = failure
    }
    const messages = [...script.messages]
    const { hit } = script
    script.begin()
    // Delayed messages arrive now, after the process has cleaned up and before the client repeats its request.
    await script.release()
    const traceless = (await cluster.withoutTrace()).map((object) => `${object} is left without a trace`)
    const broken = [...traceless, ...(await scenario.judge(cluster, n))]
    services.logged.length = 0
    return { messages, hit, error, broken }
  }

  test.each(Object.entries(SCENARIOS))(
    '%s: whatever happens to one message, nothing accepted is lost, no task has two results, and no attempt is spent',
    async (name, scenario) => {
      // The first run opens connections, which later ones reuse.
      await run(scenario)
      const { messages, broken: without } = await run(scenario)
      expect(without).toEqual([])
      const faults = [
        ...faultsOf(messages, 'postgres', { lists, faultsPerMessage }),
        ...faultsOf(messages, 's3', { lists, faultsPerMessage }),
      ]
      const fewest = lists.postgres.length === 0 ? -1 : Math.min(faultsPerMessage, lists.postgres.length)
      expect(faults.length).toBeGreaterThan(fewest)
      const found: string[] = []
      for (const planned of faults) {
        const { hit, broken } = await run(scenario, planned)
        if (broken.length > 0) found.push(`${planned.fault} at ${hit?.store} ${hit?.text}: ${broken.join('; ')}`)
      }
      if (process.env['STORE_FAULTS_REPORT'] === 'yes') process.stdout.write(`${name}: ${faults.length} faults\n`)
      expect(found).toEqual([])
    },
    240_000,
  )
}

/** The faults of the messages of a store: all of them for a commit, for each other message the next ones in turn. */
function faultsOf(
  messages: readonly StoreMessage[],
  store: StoreMessage['store'],
  { lists, faultsPerMessage: perMessage }: { readonly lists: FaultLists; readonly faultsPerMessage: number },
): PlannedFault[] {
  const faults = lists[store]
  if (faults.length === 0) return []
  const own = messages.filter((message) => message.store === store)
  return own.flatMap(({ text }, index) => {
    const each = /commit/i.test(text) ? faults.length : Math.min(perMessage, faults.length)
    const first = index * each
    const chosen = Array.from({ length: each }, (_, n) => faults[(first + n) % faults.length] ?? '')
    return chosen.map((fault) => ({ store, message: index + 1, fault }))
  })
}
