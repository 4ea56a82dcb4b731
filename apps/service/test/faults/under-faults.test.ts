import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAULTS } from './faults.ts'
import { Patient } from './patient.ts'

// Needs mounts and another process's limits.
const isPossible = process.platform === 'linux' && process.getuid?.() === 0

describe.runIf(isPossible)(
  'a minute after the fault nothing is lost and nothing is stuck',
  { timeout: 150_000 },
  () => {
    let patient: Patient
    beforeAll(async () => {
      patient = await Patient.admit()
      await patient.load(500)
      await patient.recover()
    })
    afterAll(() => patient.discharge())

    test.each(FAULTS)('$name', async (fault) => {
      await fault.begin(patient)
      try {
        await patient.load(3000)
      } finally {
        await fault.end(patient)
      }
      await patient.recover()
      expect(patient.accepted).toBeGreaterThan(0)
    })
  },
)
