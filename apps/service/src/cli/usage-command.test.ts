import { expect, test } from 'vitest'
import { readCommand } from './command.ts'
import { readUsageCommand } from './usage-command.ts'

const NOW = Date.UTC(2026, 10, 22, 23, 59)
const read = (values: Record<string, string | boolean>) => readUsageCommand(values, NOW)

test('without days, the command shows the current month of all tenants as a table', () => {
  expect(read({})).toEqual({
    tenant: undefined,
    from: '2026-11-01',
    to: '2026-11-22',
    json: false,
  })
})

test('a tenant, days and JSON can be chosen', () => {
  const given = { tenant: 'first', from: '2026-02-28', to: '2026-03-01', json: true }
  expect(read(given)).toMatchObject(given)
})

test.each([
  [{ from: '2026-02-30' }, '--from must be a day'],
  [{ to: 'today' }, '--to must be a day'],
  [{ from: '2026-11-23' }, '--from 2026-11-23 must not be after --to 2026-11-22'],
  [{ tenant: 'a b' }, 'A tenant is'],
])('%j is refused', (values, message) => {
  expect(() => read(values)).toThrow(message)
})

test('the options of usage are refused with another command', () => {
  expect(() => readCommand(['keys', 'list', '--to', '2026-11-01'], {})).toThrow(
    '--to is an option of usage, not of keys',
  )
  expect(() => readCommand(['usage', '--since', '2026-11-01'], {})).toThrow(
    '--since is an option of audit, not of usage',
  )
  expect(() => readCommand(['--from', '2026-11-01'], {})).toThrow('--from is an option of usage, not of the service')
})
