/** Closes resources that have opened, or will. Resources that fail to open need no close. */
export async function closeOpened(opening: Promise<readonly { close(): Promise<void> }[]>): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') await Promise.all(opened.value.map((resource) => resource.close()))
}
