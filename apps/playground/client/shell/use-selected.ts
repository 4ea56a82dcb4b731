import { useCallback, useState } from 'react'
import { useStore } from '../lib/store.ts'
import { usePanel } from './panel-context.ts'
import { changeQuery, route } from './router.ts'

/**
 * What is open in a panel, which a parameter of the address names, e.g. `/tasks?id=…`. It stays open while another panel is
 * on the screen.
 */
export function useSelected(name: string): [string | undefined, (id: string | undefined) => void] {
  const { id: panel, active } = usePanel()
  const { query } = useStore(route)
  const named = query.get(name) ?? undefined
  const [selected, setSelected] = useState(named)
  if (active && named !== undefined && named !== selected) setSelected(named)
  const select = useCallback(
    (id: string | undefined) => {
      // Another panel keeps its own address.
      if (route.get().panel === panel) changeQuery(panel, { [name]: id })
      setSelected(id)
    },
    [panel, name],
  )
  return [selected, select]
}
