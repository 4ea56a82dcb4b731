import type { EnvironmentModuleNode, HotUpdateOptions } from 'vite'

/**
 * The modules that an edit updates: those of the file, and its narrations whose text has changed. An edit of a code block
 * sends no update for them.
 * @param update The edit.
 * @param narrations Narration modules of the edited file that are loaded.
 * @param isSame Whether a module would equal its last load.
 */
export async function updatedModules(
  { modules, read }: Pick<HotUpdateOptions, 'modules' | 'read'>,
  narrations: readonly EnvironmentModuleNode[],
  isSame: (id: string, content: string) => Promise<boolean>,
): Promise<EnvironmentModuleNode[]> {
  const updated = new Set(modules)
  for (const module of narrations) {
    updated.delete(module)
    if (module.id === null || !(await isSame(module.id, await read()))) updated.add(module)
  }
  return [...updated]
}
