import { expect, test } from 'vitest'
import { measureMelodies, melodyTable } from '../test-hosts/room/measure-melodies.ts'
import { withService } from '../test-hosts/room/room-soak.ts'

// `suite agents --melodies` prints both halves.
test('melodies for which the recognizer writes words end no answer, and every sentence does', async () => {
  const rows = await withService((client, folder) => measureMelodies(client, folder, ['tested']))
  console.log(melodyTable(rows))
  const melodies = rows.filter(({ kind }) => kind !== 'speech')
  const sumOf = (count: 'withWords' | 'ending'): number => melodies.reduce((sum, row) => sum + row[count], 0)
  // Else the table shows nothing.
  expect(sumOf('withWords')).toBeGreaterThan(5)
  expect(sumOf('ending')).toBe(0)
  const speech = rows.find(({ kind }) => kind === 'speech')
  expect(speech?.ending).toBe(speech?.withWords)
  expect(speech?.withWords).toBeGreaterThan(8)
})
