import { expect, test } from 'vitest'
import { databaseHosts } from './hosts.ts'

test('an address with one host is used as it is', () => {
  const { url, count, needsPrimary } = databaseHosts('postgres://u:p@db:5433/audio?application_name=a')
  expect([url, count, needsPrimary]).toEqual(['postgres://u:p@db:5433/audio?application_name=a', 1, false])
})

test('an address with several hosts is one address after the other, and wants the primary', () => {
  const hosts = databaseHosts('postgresql://u:p@one:5432,two/audio?sslmode=require')
  expect([hosts.url, hosts.count, hosts.needsPrimary]).toEqual([
    'postgresql://u:p@one:5432/audio?sslmode=require&uselibpqcompat=true',
    2,
    true,
  ])
  hosts.leave(hosts.url)
  expect(hosts.url).toBe('postgresql://u:p@two/audio?sslmode=require&uselibpqcompat=true')
  hosts.leave(hosts.url)
  expect(hosts.url).toContain('one')
})

test('of several callers that leave a host, one moves on', () => {
  const hosts = databaseHosts('postgres://one,two,three/audio')
  const { url } = hosts
  hosts.leave(url)
  hosts.leave(url)
  expect(hosts.url).toBe('postgres://two/audio')
})

test.each(['read-write', 'primary', 'any'])('target_session_attrs=%s does not reach the driver', (wanted) => {
  const hosts = databaseHosts(`postgres://one,two/audio?target_session_attrs=${wanted}`)
  expect([hosts.url, hosts.needsPrimary]).toEqual(['postgres://one/audio', wanted !== 'any'])
})

test('another target_session_attrs is refused with its name', () => {
  expect(() => databaseHosts('postgres://one/audio?target_session_attrs=standby')).toThrow(
    'target_session_attrs of DATABASE_URL must be read-write, primary or any, got standby',
  )
})

test('the address of a socket is left to the driver', () => {
  expect(databaseHosts('socket:/var/run/postgresql?db=audio').url).toBe('socket:/var/run/postgresql?db=audio')
})

test('an sslmode that may connect without encryption is refused with the ones that do not', () => {
  expect(() => databaseHosts('postgres://one/audio?sslmode=prefer')).toThrow(
    'sslmode of DATABASE_URL must be disable, require, verify-ca, verify-full, got prefer',
  )
  expect(() => databaseHosts('postgres://one/audio?sslmode=verify-ca')).toThrow('needs sslrootcert')
})
