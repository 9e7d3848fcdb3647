/** Set by the proxy on requests for pages: their path and query, which Next does not give a layout. */
export const PATH_HEADER = "x-switchyard-path";
