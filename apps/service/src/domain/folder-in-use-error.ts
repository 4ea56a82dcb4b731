/** Another service serves this folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError' as const

  constructor(folder: string) {
    super(`${folder} is in use by another running service`)
  }
}
