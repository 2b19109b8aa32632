// The setting ids.node_id, which tells the identifiers of several servers apart.
#pragma once

namespace ids {

// The node id, from 0 to greatest, or -1 if none is set. Raises 22023 if the setting is out of
// range for the type, is not a node id, or was set without permission.
int node_id(const char* type, int greatest);

void define_settings();

}  // namespace ids
