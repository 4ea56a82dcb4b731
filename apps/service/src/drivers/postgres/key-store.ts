import type { SecretCipher } from '../../domain/secret-cipher.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { createSecretStore as secretStoreOver, keyStoreOver, type SecretStore } from '../sqlite/key-store.ts'
import type { KeyTables } from '../sqlite/key-tables.ts'
import type { PostgresDatabase } from './database.ts'

/**
 * Keys in PostgreSQL.
 * @param given Keys from the environment: a map from key to tenant. They are valid beside the stored ones and never
 * stored.
 */
export function createKeyStore(database: PostgresDatabase, given: ReadonlyMap<string, string>): KeyStore {
  const tables = database.$pickTables<keyof KeyTables>()
  return keyStoreOver(tables, {
    given,
    lookUp: (hash) =>
      tables.selectFrom('api_keys').select(['tenant', 'expires_at']).where('hash', '=', hash).executeTakeFirst(),
  })
}

/** Secrets in PostgreSQL. */
export function createSecretStore(database: PostgresDatabase, cipher?: SecretCipher): SecretStore {
  return secretStoreOver(database, cipher)
}
