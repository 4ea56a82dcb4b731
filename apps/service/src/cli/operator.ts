import { createSecretStore, createKeyStore, webhookSecretName, webhookSecretText } from '../drivers/sqlite/key-store.ts'
import { LINK_SECRET, secretCipherOf } from '../open-services.ts'
import { DRAIN } from '../use-cases/switches.ts'
import { UsageError } from './usage-error.ts'
import { withDatabase } from './with-database.ts'

const HOUR_SECONDS = 3600

/**
 * Makes another key for the tenant of a key. The old one works for some more hours.
 * @throws UsageError when no key has that id
 */
export function rotateKey(dataDir: string, id: string, hours: number): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    const made = await createKeyStore(database, new Map()).rotate(id, hours * HOUR_SECONDS)
    if (made === undefined) throw new UsageError(`No key has the id ${id}: keys list shows the ids`)
    return `id        ${made.id}\nAPI key   ${made.key}\nThe key is shown once. Key ${id} works for ${hours} more hours.\n`
  })
}

/** Replaces a tenant's webhook secret. Both sign for some hours. */
export function rotateWebhookSecret(
  dataDir: string,
  {
    tenant,
    hours,
    secretKey,
  }: { readonly tenant: string; readonly hours: number; readonly secretKey?: string | undefined },
): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    const secrets = createSecretStore(database, await secretCipherOf(dataDir, secretKey))
    const secret = await secrets.rotate(webhookSecretName(tenant), hours * HOUR_SECONDS)
    return `${webhookSecretText(secret)}\nThe former secret signs too for ${hours} more hours.\n`
  })
}

/** Replaces the secret that signs links to results. Former links work for some hours. */
export function rotateLinks(
  dataDir: string,
  { hours, secretKey }: { readonly hours: number; readonly secretKey?: string | undefined },
): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    const secrets = createSecretStore(database, await secretCipherOf(dataDir, secretKey))
    await secrets.rotate(LINK_SECRET, hours * HOUR_SECONDS)
    return `The service signs links with a new secret within a minute. Former links work for ${hours} more hours.\n`
  })
}

/** Refuses or accepts the requests of a tenant. */
export function suspendTenant(dataDir: string, tenant: string, suspended: boolean): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    await createKeyStore(database, new Map()).suspend(tenant, suspended)
    return `The service ${suspended ? 'refuses' : 'accepts'} requests of ${tenant} within a second.\n`
  })
}

/** Lists the suspended tenants, one for each line. */
export function listSuspended(dataDir: string): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    const suspended = [...(await createKeyStore(database, new Map()).suspended())].filter((one) => one !== DRAIN)
    return suspended.length === 0 ? 'No tenant is suspended.\n' : `${suspended.toSorted().join('\n')}\n`
  })
}

/** Starts or ends a drain. Returns the number of open tasks. */
export function drain(dataDir: string, on: boolean): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    await createKeyStore(database, new Map()).suspend(DRAIN, on)
    if (!on) return 'The service accepts work again within a second.\n'
    const { open } = await database
      .selectFrom('jobs')
      .select((select) => select.fn.countAll<number>().as('open'))
      .executeTakeFirstOrThrow()
    return `The service accepts no new work within a second. Open tasks: ${open}.\n`
  })
}
