/** A Redis server of this example. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
}
/**
 * Starts `redis-server` on a free port, without files.
 * @returns `undefined` if it is not installed
 */
export declare function startRedis(folder: string): Promise<RedisServer | undefined>
/** Returns a free TCP port. */
export declare function freePort(): Promise<number>
