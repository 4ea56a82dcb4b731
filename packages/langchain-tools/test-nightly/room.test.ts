import { expect, test } from 'vitest'
import { soakRoom } from '../test-hosts/room/room-soak.ts'
import { SCRIPT } from '../test-hosts/room/script.ts'

// The command `suite agents` does the same for half an hour, and prints a table.
test('a room of speech, coughs, music, talk-over and silence is understood, and the history holds what was heard', async () => {
  const { rows } = await soakRoom(0)
  expect(rows).toHaveLength(SCRIPT.length)
  expect(rows.filter(({ fault }) => fault !== undefined)).toEqual([])
})
