import { expect, test } from 'vitest'
import { clusterOf } from './storage.ts'

const secretKey = 'a-key-of-at-least-32-characters-for-tests'
const both = { dataDir: 'd', databaseUrl: 'postgres://h/n', s3Bucket: 'b', secretKey }

test('without a database there is no cluster, and no other role', () => {
  expect(clusterOf({ dataDir: 'd', role: 'all' })).toBeUndefined()
  expect(() => clusterOf({ dataDir: 'd', role: 'api' })).toThrow('--role api needs DATABASE_URL and S3_BUCKET')
})

test('database and bucket come together', () => {
  expect(() => clusterOf({ dataDir: 'd', databaseUrl: 'postgres://h/n' })).toThrow('DATABASE_URL needs S3_BUCKET')
  expect(() => clusterOf({ dataDir: 'd', s3Bucket: 'b' })).toThrow('S3_BUCKET needs DATABASE_URL')
  expect(clusterOf(both)).toMatchObject({ databaseUrl: 'postgres://h/n', s3: { bucket: 'b' } })
})

test('a process of one role needs the public address: its own is of no use to clients', () => {
  expect(() => clusterOf({ ...both, role: 'worker' })).toThrow('--role worker needs --public-url')
  expect(clusterOf({ ...both, role: 'worker', publicUrl: 'https://a.example' })).toBeDefined()
})

test('a cluster without the key of its secrets does not start: they would lie in clear in the database', () => {
  const { secretKey: _key, ...without } = both
  expect(() => clusterOf(without)).toThrow('DATABASE_URL needs SVC_AUDIO_SECRET_KEY')
})

test('the address without a pooler is the address of the database, unless it is given', () => {
  expect(clusterOf(both)).toMatchObject({ directUrl: 'postgres://h/n', isPooled: false })
  const given = { ...both, databaseUrlDirect: 'postgres://direct/n' }
  expect(clusterOf(given)).toMatchObject({ directUrl: 'postgres://direct/n', isPooled: true })
})
