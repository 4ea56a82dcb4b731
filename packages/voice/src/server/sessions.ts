/** A conversation that survives its connection. */
export interface StoredSession<User, State> {
  readonly id: string
  readonly user: User
  readonly state: State
  /** Ends the connection that the session has. */
  replace: (() => void) | undefined
}

/** Sessions by their secret names: those that are connected, and those that wait for a reconnect. */
export class Sessions<User, State> {
  readonly #all = new Map<string, StoredSession<User, State>>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #timeout: number
  readonly #maxWaiting: number

  /**
   * @param timeout Milliseconds for which a session waits for its reconnect.
   * @param maxWaiting Most sessions that wait. One more forgets the oldest.
   */
  constructor(timeout: number, maxWaiting: number) {
    this.#timeout = timeout
    this.#maxWaiting = maxWaiting
  }

  /** The session of a name, connected or not. */
  find(id: string | undefined): StoredSession<User, State> | undefined {
    return id === undefined ? undefined : this.#all.get(id)
  }

  /** Stores a new session. */
  create(user: User, state: State): StoredSession<User, State> {
    const session: StoredSession<User, State> = { id: crypto.randomUUID(), user, state, replace: undefined }
    this.#all.set(session.id, session)
    return session
  }

  /** The session has a connection. An earlier one ends. */
  connect(session: StoredSession<User, State>, replace: () => void): void {
    this.#stopWaiting(session.id)
    session.replace?.()
    session.replace = replace
  }

  /** The session's connection has ended. It waits for another one unless the conversation is over. */
  disconnect(session: StoredSession<User, State>, replace: () => void, isOver: boolean): void {
    if (session.replace !== replace) return
    session.replace = undefined
    if (isOver) {
      this.#all.delete(session.id)
      return
    }
    const timer = setTimeout(() => this.#forget(session.id), this.#timeout)
    timer.unref()
    this.#timers.set(session.id, timer)
    const [oldest] = this.#timers.keys()
    if (this.#timers.size > this.#maxWaiting && oldest !== undefined) this.#forget(oldest)
  }

  /** Forgets every session. */
  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#all.clear()
  }

  #forget(id: string): void {
    this.#stopWaiting(id)
    this.#all.delete(id)
  }

  #stopWaiting(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}
