import { expect, test } from 'vitest'
import { clusterOf } from './cluster-options.ts'

const both = { dataDir: 'd', databaseUrl: 'postgres://h/n', s3Bucket: 'b' }

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
