// The setting ids.node_id: what tells the identifiers of several servers apart.
#pragma once

namespace ids {

// The node id, from 0 to greatest, or -1 if it is not set. Raises 22023 if the setting is out of
// the range of the type, is no node id, or was set without permission.
int node_id(const char* type, int greatest);

void define_settings();

}  // namespace ids
