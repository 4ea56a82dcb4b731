import type { AudioStore, StoreAccess } from '@svc-audio/agent-tools'

/** A store whose audio has paths on this machine, as `folderAudioStore` is. */
export interface StoreWithPaths extends AudioStore {
  pathOf(id: string, access?: StoreAccess): Promise<string | undefined>
}

/** Whether the audio of a store has paths on this machine. */
export function hasPaths(store: AudioStore): store is StoreWithPaths {
  return typeof Reflect.get(store, 'pathOf') === 'function'
}

/** The path of stored audio. `undefined` if there is none. */
export async function pathOf(store: AudioStore, id: string, access: StoreAccess): Promise<string | undefined> {
  return hasPaths(store) ? store.pathOf(id, access) : undefined
}
