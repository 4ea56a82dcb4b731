import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { checkPriorities } from '@svc-audio/engine-ports/driver'
import { LINK_SECRET } from '../domain/result-links.ts'
import { createAudioUrlPolicy, createWebhookPolicy } from '../domain/url-policies.ts'
import { isFolder, makeFolder, readSecretKey } from '../drivers/folder/folders.ts'
import { openTracer } from '../drivers/opentelemetry/open-tracer.ts'
import { createSecretStore } from '../drivers/sql/secret-store.ts'
import { checkFolderContents, checkForCommand, findLostAreas, isServed } from '../drivers/sqlite/data-folder.ts'
import { createSecretCipher } from '../domain/secret-cipher.ts'
import { enginesOf } from '../open-engines.ts'
import { DEFAULT_OPTIONS, prioritiesOf, type ServiceOptions } from '../service-options.ts'
import { clusterOf, databasePath, folderContents } from '../storage.ts'
import { checkFolder } from './data-folder.ts'
import type { Finding } from './doctor-check.ts'
import { describeStartError } from './errors.ts'
import { withDatabase } from './with-stores.ts'

/**
 * Does what a start does before it serves, in the same order, and explains a failure in the words of the start. It
 * leaves nothing behind, and works beside a running service.
 */
export async function checkStart(options: ServiceOptions): Promise<Finding | readonly Finding[]> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  try {
    const served = (await isFolder(settings.dataDir)) && isServed(settings.dataDir)
    if (!served) await tryAddress(settings.host, settings.port)
    createWebhookPolicy(options.webhookAllow)
    createAudioUrlPolicy(options.audioUrlAllow)
    checkPriorities(prioritiesOf(options))
    const isCluster = clusterOf(options) !== undefined
    await tryFolder(settings.dataDir)
    if (!isCluster) (served ? checkForCommand : checkFolderContents)(folderContents(options))
    await tryEnginesFile(options)
    await openTracer()
    if (isCluster) return { level: 'ok', text: 'nothing on this machine stands against a start' }
    await trySecrets(options)
    const lost = findLostAreas(folderContents(options))
    if (lost.length === 0) return { level: 'ok', text: served ? 'a service is running' : 'a service would start' }
    return lost.map(({ folder, rows }) => ({ level: 'warn', text: describeLoss(settings.dataDir, folder, rows) }))
  } catch (error) {
    return { level: 'fail', text: describeStartError(error, settings) }
  }
}

function describeLoss(dataDir: string, folder: string, rows: string): string {
  return `${join(dataDir, folder)} is empty, and the database has ${rows}: they answer 404. Restore the folder from a backup`
}

async function tryAddress(host: string, port: number): Promise<void> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Makes what cannot be made, for the error. What is missing is left to a start. */
async function tryFolder(dataDir: string): Promise<void> {
  const isPossible = await checkFolder(dataDir).then(
    () => true,
    () => false,
  )
  const uploads = join(dataDir, 'uploads')
  if (!isPossible || existsSync(uploads)) await makeFolder(uploads)
}

async function tryEnginesFile(options: ServiceOptions): Promise<void> {
  const file = await enginesOf(options)
  for (const { parts } of file?.engines ?? []) await parts.close?.()
}

/** Opens the secret that signs links, with the key of the folder or of the settings. */
async function trySecrets({ dataDir, secretKey }: ServiceOptions): Promise<void> {
  if (!existsSync(databasePath(dataDir))) return
  await withDatabase(dataDir, async (database) => {
    const cipher = createSecretCipher(secretKey ?? (await readSecretKey(dataDir)))
    await createSecretStore(database, cipher).valid(LINK_SECRET)
  })
}
