import { open } from 'node:fs/promises'

/** Makes the names in a folder durable: what was made, renamed or deleted there stays so after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
