import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAULTS, SERVER_FAULTS } from './faults.ts'
import { Patient } from './patient.ts'

// Needs mounts and another process's limits.
const isPossible = process.platform === 'linux' && process.getuid?.() === 0

const PATIENTS = [
  { engines: 'the bundled engines', far: false, faults: FAULTS },
  { engines: 'a server that speaks and recognizes', far: true, faults: SERVER_FAULTS },
]

describe.runIf(isPossible).each(PATIENTS)(
  'with $engines, a minute after the fault nothing is lost and nothing is stuck',
  { timeout: 150_000 },
  ({ far, faults }) => {
    let patient: Patient
    beforeAll(async () => {
      patient = await Patient.admit({ far })
      await patient.load(500)
      await patient.recover()
    })
    afterAll(() => patient.discharge())

    test.each(faults)('$name', async (fault) => {
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
