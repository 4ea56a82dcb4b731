import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedCluster, startScriptedCluster } from './cluster.ts'
import { POSTGRES_FAULTS } from './postgres-proxy.ts'
import { S3_FAULTS } from './s3-proxy.ts'
import { type Scenario, SCENARIOS } from './scenarios.ts'
import type { PlannedFault, StoreMessage } from './script.ts'

let cluster: ScriptedCluster
beforeAll(async () => {
  cluster = await startScriptedCluster()
})
afterAll(() => cluster.stop())

let runs = 0

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
  const broken = await scenario.judge(cluster, n)
  services.logged.length = 0
  return { messages, hit, error, broken }
}

function faultsOf(messages: readonly StoreMessage[], store: StoreMessage['store']): PlannedFault[] {
  const count = messages.filter((message) => message.store === store).length
  const faults = store === 'postgres' ? POSTGRES_FAULTS : S3_FAULTS
  return Array.from({ length: count }, (_, index) =>
    faults.map((fault) => ({ store, message: index + 1, fault })),
  ).flat()
}

test.each(Object.entries(SCENARIOS))(
  '%s: whatever happens to one message, nothing accepted is lost, no task has two results, and no attempt is spent',
  async (name, scenario) => {
    // The first run opens connections, which later ones reuse.
    await run(scenario)
    const { messages, broken: without } = await run(scenario)
    expect(without).toEqual([])
    const faults = [...faultsOf(messages, 'postgres'), ...faultsOf(messages, 's3')]
    expect(faults.length).toBeGreaterThan(POSTGRES_FAULTS.length)
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
