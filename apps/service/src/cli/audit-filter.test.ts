import { expect, test } from 'vitest'
import { readAuditFilter } from './audit-filter.ts'
import { readCommand } from './command.ts'

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
