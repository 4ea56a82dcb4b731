import { NARRATION_ID, parseNarrationId } from './narration-request.ts'
import { extractText } from './text/extract-text.ts'

/**
 * The narrations of an edited file that say the same as before, since only code or front matter changed: they need no
 * update, and the page need not reload under its listener.
 * @param read Reads the file as it is now.
 * @param lastText What a module said when it was last loaded.
 */
export async function unchangedModules<Module extends { readonly id: string | null }>(
  modules: readonly Module[],
  read: () => string | Promise<string>,
  lastText: (id: string) => string | undefined,
): Promise<ReadonlySet<Module>> {
  const unchanged = new Set<Module>()
  for (const module of modules) {
    if (module.id === null || !NARRATION_ID.test(module.id)) continue
    const before = lastText(module.id)
    if (before === undefined) continue
    const { kind } = parseNarrationId(module.id)
    if (extractText(await read(), kind) === before) unchanged.add(module)
  }
  return unchanged
}
