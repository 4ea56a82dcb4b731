import { expect, test } from 'vitest'
import { readCommand } from '../command.ts'
import { readAuditFilter, readUsageCommand } from './service.ts'

test('the command audit takes a filter, in UTC unless the time has an offset', () => {
  const given = { tenant: 'acme', action: 'deleteFile', since: '2026-01-31', until: '2026-01-31T18:30+02:00' }
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
  expect(readCommand(['audit', ...flags], {})).toMatchObject({ name: 'run' })
  expect(readAuditFilter(given)).toEqual({
    tenant: 'acme',
    action: 'deleteFile',
    since: Date.UTC(2026, 0, 31),
    until: Date.UTC(2026, 0, 31, 16, 30),
  })
  expect(readAuditFilter({ since: '2026-01-31 18:30:15.5' })).toEqual({
    since: Date.UTC(2026, 0, 31, 18, 30, 15, 500),
  })
  expect(readAuditFilter({})).toEqual({})
})

test.each([
  [
    ['audit', '--since', 'yesterday'],
    '--since must be a date or a time in UTC, as 2026-01-31 or 2026-01-31T18:30, got "yesterday"',
  ],
  [['audit', '--until', '2026-13-31'], '--until must be a date'],
  [['audit', '--tenant', 'a b'], 'A tenant is 1 to 100 letters'],
  [['audit', 'acme'], 'audit takes no arguments, got "acme"'],
  [['keys', 'list', '--tenant', 'acme'], '--tenant is an option of usage, audit, not of keys list'],
  [['--since', '2026-01-31'], '--since is an option of audit, not of the service'],
] as const)('%j is refused with the remedy', (args, message) => {
  expect(() => readCommand(args, {})).toThrow(message)
})

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
