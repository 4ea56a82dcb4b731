import type { EnvironmentModuleNode, HotUpdateOptions } from 'vite'

/**
 * What an edit updates: the modules of the file, and its narrations where they now say something else. An edit of code
 * leaves the page alone.
 * @param update The edit.
 * @param narrations Narration modules of the edited file that are loaded.
 * @param isSame Whether a module would say the same as when it was last loaded.
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
