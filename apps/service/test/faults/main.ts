/*
 * Applies every fault of the machine in turn, for an hour: `node test/faults/main.ts [minutes]`. With `--far`, a server
 * speaks and recognizes, and its faults are applied.
 */
import { parseArgs } from 'node:util'
import { FAULTS, SERVER_FAULTS } from './faults.ts'
import { Patient } from './patient.ts'

const { values, positionals } = parseArgs({ options: { far: { type: 'boolean' } }, allowPositionals: true })
const { far = false } = values
const minutes = Number(positionals[0] ?? 60)
const faults = far ? SERVER_FAULTS : FAULTS
const end = performance.now() + minutes * 60_000
const total = { rounds: 0, accepted: 0, refused: 0 }

/** Results stay on the disk for days, so each round has a disk and a service of its own. */
async function round(): Promise<void> {
  const patient = await Patient.admit({ far })
  try {
    for (const fault of faults) {
      const before = patient.accepted
      await fault.begin(patient)
      try {
        await patient.load(10_000)
      } finally {
        await fault.end(patient)
      }
      const start = performance.now()
      await patient.recover()
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      const tasks = patient.accepted - before
      process.stdout.write(`${fault.name.padEnd(50)} ${tasks} tasks accepted, all well after ${seconds} s\n`)
    }
    total.rounds += 1
  } catch (error) {
    process.stdout.write(`${String(error)}\n${patient.log.slice(-4000)}\n`)
    process.exitCode = 1
  } finally {
    total.accepted += patient.accepted
    total.refused += patient.refused
    await patient.discharge()
  }
}

while (performance.now() < end && process.exitCode === undefined) await round()
process.stdout.write(`${total.rounds} rounds, ${total.accepted} tasks accepted, ${total.refused} requests refused\n`)
