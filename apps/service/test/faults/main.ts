/* Applies every fault of the machine in turn, for an hour: `node test/faults/main.ts [minutes]`. */
import { FAULTS } from './faults.ts'
import { Patient } from './patient.ts'

const minutes = Number(process.argv[2] ?? 60)
const end = performance.now() + minutes * 60_000
const patient = await Patient.admit()
try {
  let rounds = 0
  while (performance.now() < end) {
    for (const fault of FAULTS) {
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
    rounds += 1
  }
  process.stdout.write(`${rounds} rounds, ${patient.accepted} tasks accepted and ended, ${patient.refused} refused\n`)
} catch (error) {
  process.stdout.write(`${String(error)}\n${patient.log.slice(-4000)}\n`)
  process.exitCode = 1
} finally {
  await patient.discharge()
}
